// The alternative journeys, and the buttons that load earlier and later ones. The chosen alternative is drawn on the
// map.
import { useEffect, useState } from 'preact/hooks'
import { type Refusal, request, toRefusal } from './api-client.ts'
import type { Answer, Journey } from './contract.ts'
import { JourneyCard } from './journey-cards.tsx'
import { boundsOfLegs, legsOf } from './journey-legs.ts'
import { inOrder, meritsOf, nameOf } from './journey-merits.ts'
import type { Label } from './map/labels.ts'
import { toPlane } from './map/mercator.ts'
import { Trouble, Waiting } from './parts.tsx'
import { useAnswer } from './read-hooks.ts'
import { useStage } from './stage.ts'
import { texts } from './texts/texts.ts'

type Page = Answer<readonly Journey[]>
/** The value of `chosenId` after the user has collapsed the chosen card. No card is then chosen. */
const NONE = ''

/** The alternatives that an API path returns. This component must be remounted when the path changes. */
export function Journeys(props: {
  readonly path: string
  readonly isArriveBy: boolean
  /** Whether only step-free journeys (without stairs) were requested. */
  readonly isStepFree: boolean
}) {
  const { path, isArriveBy } = props
  const { answer, problem } = useAnswer<readonly Journey[]>(path, 'journeys')
  const [chosenId, setChosenId] = useState<string | undefined>(undefined)
  const [before, setBefore] = useState<readonly Page[]>([])
  const [after, setAfter] = useState<readonly Page[]>([])
  const first = answer?.data ?? []
  const journeys = inOrder([...before, ...(answer === undefined ? [] : [answer]), ...after].map(({ data }) => data))
  const chosen = journeys.find((each) => each.id === (chosenId ?? first[0]?.id))
  useJourneyOnMap(chosen)
  if (problem !== undefined) return <Trouble of={problem} />
  if (answer === undefined) return <Waiting />
  const merits = meritsOf(journeys)
  // If the user chose an arrival time, the API's next page has earlier journeys.
  const cursorOf = ({ meta }: Page, isEarlier: boolean) =>
    (isEarlier === isArriveBy ? meta.next_cursor : meta.previous_cursor) ?? null
  return (
    <>
      <MoreJourneys
        {...{ path, cursor: cursorOf(before[0] ?? answer, true), isEarlier: true }}
        onMore={(page) => setBefore([page, ...before])}
      />
      {journeys.length === 0 && <p>{texts().noJourneys}</p>}
      <ul class="journeys" aria-label={texts().alternatives}>
        {journeys.map((journey) => (
          <JourneyCard
            key={journey.id}
            journey={journey}
            merit={merits.get(journey.id)}
            isChosen={journey === chosen}
            isStepFree={props.isStepFree}
            onChoose={() => setChosenId(journey === chosen ? NONE : journey.id)}
          />
        ))}
      </ul>
      <MoreJourneys
        {...{ path, cursor: cursorOf(after.at(-1) ?? answer, false), isEarlier: false }}
        onMore={(page) => setAfter([...after, page])}
      />
    </>
  )
}

/** The button that loads earlier or later alternatives, or a message if there are no more. */
function MoreJourneys(props: {
  readonly path: string
  readonly cursor: string | null
  readonly isEarlier: boolean
  onMore(page: Page): void
}) {
  const { path, cursor, isEarlier } = props
  const [isBusy, setBusy] = useState(false)
  const [isEnd, setEnd] = useState(false)
  const [problem, setProblem] = useState<Refusal | undefined>(undefined)
  const read = async () => {
    if (isBusy) return
    setBusy(true)
    setProblem(undefined)
    try {
      const page = await request<readonly Journey[]>(`${path}&cursor=${encodeURIComponent(cursor ?? '')}`, 'journeys')
      setEnd(page.data.length === 0)
      props.onMore(page)
    } catch (error) {
      setProblem(toRefusal(error))
    } finally {
      setBusy(false)
    }
  }
  if (problem !== undefined) return <Trouble of={problem} />
  if (cursor === null || isEnd) return <p class="small">{isEarlier ? texts().noEarlier : texts().noLater}</p>
  return (
    // The button is not disabled while it loads, because a disabled button loses focus.
    <button type="button" class="plain more-journeys" aria-busy={isBusy} onClick={() => void read()}>
      {isEarlier ? texts().earlier : texts().later}
    </button>
  )
}

/** Draws a journey on the map, with names at its ends and transfers. */
function useJourneyOnMap(journey: Journey | undefined): void {
  const { view, atlas } = useStage()
  useEffect(() => {
    if (view === undefined || journey === undefined) return
    let isGone = false
    void legsOf(journey, atlas, view.isDark).then((legs) => {
      if (isGone) return
      const lineIds = journey.sections.flatMap((section) => (section.kind === 'transit' ? [section.line.id] : []))
      view.giveLegs(legs, ({ line_id }) => lineIds.includes(line_id))
      view.lineLabels = labelsOf(journey)
      const bounds = boundsOfLegs(legs)
      if (bounds !== undefined) view.fit(bounds, 16)
    })
    return () => {
      isGone = true
      view.giveLegs([])
      view.lineLabels = []
    }
  }, [view, atlas, journey])
}

function labelsOf({ sections }: Journey): readonly Label[] {
  const places = [
    ...sections.map(({ from_place }) => from_place),
    ...sections.slice(-1).map(({ to_place }) => to_place),
  ]
  const labels = places.map((place, at) => ({
    ...toPlane([place.lon, place.lat]),
    text: nameOf(place),
    leastZoom: 0,
    weight: at === 0 || at === places.length - 1 ? 2 : 1,
  }))
  return labels.sort((one, other) => other.weight - one.weight)
}
