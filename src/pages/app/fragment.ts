// The address's fragment, which names the open screen and is never sent to a server.
import { useEffect, useState } from 'preact/hooks'

/** Returns what `read` reads from the fragment; rerenders the component when the fragment changes. */
export function useFragment<Place>(read: () => Place): Place {
  const [place, setPlace] = useState(read)
  useEffect(() => {
    const follow = () => setPlace(read())
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [read])
  return place
}
