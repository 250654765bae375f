// The hook with which components use a shared value.
import { useEffect, useState } from 'preact/hooks'
import type { Stored } from './stored.ts'

/** Returns the current value; rerenders the component when the value changes. */
export function useStored<T>(stored: Stored<T>): T {
  const [value, setValue] = useState(() => stored.value)
  useEffect(() => {
    setValue(() => stored.value)
    return stored.follow((next) => setValue(() => next))
  }, [stored])
  return value
}
