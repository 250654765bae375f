// A usage card, with filters for days and key. All usage cards have the same filters.
import type { ComponentChildren } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { Key } from './contract.ts'
import { type DaySpan, isSpanName, type SpanName, toSpan } from './day-series.ts'
import { Choice } from './parts.tsx'
import { texts } from './texts/texts.ts'

/** The filters of a card, and the functions that change them. */
export interface UsageFilters {
  readonly span: DaySpan
  /** Id of the key; empty for all keys. */
  readonly keyId: string
  readonly spanName: SpanName
  setSpanName(name: SpanName): void
  setKeyId(id: string): void
}

/** Creates the filters of a card, initially for this month and all keys. @param period the current month, YYYY-MM */
export function useUsageFilters(period: string): UsageFilters {
  const [spanName, setSpanName] = useState<SpanName>('month')
  const [keyId, setKeyId] = useState('')
  const span = useMemo(() => toSpan(spanName, period, Date.now()), [spanName, period])
  return { span, keyId, spanName, setSpanName, setKeyId }
}

/** A card with its title and its filters. @param props.id id of the title's element */
export function UsageCard(props: {
  readonly id: string
  readonly title: string
  readonly spans: readonly SpanName[]
  readonly keys: readonly Key[]
  readonly filters: UsageFilters
  readonly children: ComponentChildren
}) {
  const { spanName, setSpanName, keyId, setKeyId } = props.filters
  return (
    <section class="card" aria-labelledby={props.id}>
      <div class="card-head">
        <h2 id={props.id}>{props.title}</h2>
        <div class="choices">
          <Choice
            label={texts().days}
            value={spanName}
            options={props.spans.map((name) => [name, texts().spans[name]])}
            onValue={(value) => isSpanName(value) && setSpanName(value)}
          />
          <Choice
            label={texts().key}
            value={keyId}
            options={[
              ['', texts().allKeys],
              ...props.keys.map((key): [string, string] => [key.id, `${key.name} …${key.last_four}`]),
            ]}
            onValue={setKeyId}
          />
        </div>
      </div>
      {props.children}
    </section>
  )
}
