// A value that components can share and observe.

/** A value that components share. When it changes, all functions passed to `follow` are called. */
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
