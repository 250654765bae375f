// The URL fragment, which names the current screen and is never sent to a server.
import { useEffect, useState } from 'preact/hooks'

/** Returns the result of `read`, which reads the fragment. Rerenders the component when the fragment changes. */
export function useFragment<Place>(read: () => Place): Place {
  const [place, setPlace] = useState(read)
  useEffect(() => {
    const follow = () => setPlace(read())
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [read])
  return place
}
