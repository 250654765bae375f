// A shared observable value.
import { useEffect, useState } from 'preact/hooks'

/** A shared value. */
export class Stored<T> {
  private readonly followers = new Set<(value: T) => void>()
  private current: T

  constructor(initial: T) {
    this.current = initial
  }

  get value(): T {
    return this.current
  }

  set(value: T): void {
    if (Object.is(value, this.current)) return
    this.current = value
    for (const follow of [...this.followers]) follow(value)
  }

  update(change: (value: T) => T): void {
    this.set(change(this.current))
  }

  /** Subscribes to changes. Call the returned function to unsubscribe. */
  follow(follower: (value: T) => void): () => void {
    this.followers.add(follower)
    return () => this.followers.delete(follower)
  }
}

/** Returns the value; rerenders when it changes. */
export function useStored<T>(stored: Stored<T>): T {
  const [value, setValue] = useState(() => stored.value)
  useEffect(() => {
    setValue(() => stored.value)
    return stored.follow((next) => setValue(() => next))
  }, [stored])
  return value
}
