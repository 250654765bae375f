// The fragment of the address, which tells the open screen and reaches no server.
import { useEffect, useState } from 'preact/hooks'

/** What the fragment says now; a component that uses it is drawn anew when it says something else. */
export function useFragment<Place>(read: () => Place): Place {
  const [place, setPlace] = useState(read)
  useEffect(() => {
    const follow = () => setPlace(read())
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [read])
  return place
}
