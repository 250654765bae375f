// Statements for closed months, to download. A statement never changes.

import type { Statement } from './contract.ts'
import { toAmount, toMonth, toPlanName, toUnits } from './formats.ts'
import { Empty, Fact, Waiting } from './parts.tsx'
import { useAnswer } from './requests.ts'
import { Icon } from './signs.tsx'
import { texts } from './texts/texts.ts'

/** The list of statements. `period` is the current month, YYYY-MM, if known. */
export function Statements({ period }: { readonly period: string | undefined }) {
  const list = useAnswer<{ statements: readonly Statement[] }>('/v1/statements')
  const statements = list.value?.statements
  return (
    <section class="card" aria-labelledby="statements">
      <h2 id="statements">{texts().statements}</h2>
      {statements === undefined || list.problem !== undefined ? (
        <Waiting problem={list.problem} again={list.again} />
      ) : statements.length === 0 ? (
        <Empty title={texts().noStatements}>
          {texts().statementsHint(period === undefined ? undefined : toMonth(period))}
        </Empty>
      ) : (
        <StatementList statements={statements} />
      )}
    </section>
  )
}

function StatementList({ statements }: { readonly statements: readonly Statement[] }) {
  return (
    <ul class="statements">
      {statements.map((statement) => (
        <StatementRow key={statement.month} of={statement} />
      ))}
    </ul>
  )
}

function StatementRow({ of: statement }: { readonly of: Statement }) {
  const month = toMonth(statement.month)
  return (
    <li>
      <h3>{month}</h3>
      <dl class="facts">
        <Fact name={texts().plan}>{toPlanName(statement.plan)}</Fact>
        <Fact name={texts().unitsHead}>{toUnits(statement.units)}</Fact>
        <Fact name={texts().overageUnits}>{toUnits(statement.overage_units)}</Fact>
        <Fact name={texts().amount}>{toAmount(statement.amount_cents)}</Fact>
      </dl>
      <p class="row tight">
        {(['csv', 'json'] as const).map((form) => (
          <a
            key={form}
            class="download"
            href={`/v1/statements/${statement.month}.${form}`}
            download={`quai-${statement.month}.${form}`}
            aria-label={texts().downloadOf(form.toUpperCase(), month)}
          >
            <Icon name="download" />
            {form.toUpperCase()}
          </a>
        ))}
      </p>
    </li>
  )
}
