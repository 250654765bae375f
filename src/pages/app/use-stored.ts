// The hook by which a component uses a shared value.
import { useEffect, useState } from 'preact/hooks'
import type { Stored } from './stored.ts'

/** Returns the value; rerenders when it changes. */
export function useStored<T>(stored: Stored<T>): T {
  const [value, setValue] = useState(() => stored.value)
  useEffect(() => {
    setValue(() => stored.value)
    return stored.follow((next) => setValue(() => next))
  }, [stored])
  return value
}
