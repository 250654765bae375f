// What the reference says before its routes: the rules that hold for all of them.

/** Markdown. */
export const INTRODUCTION = `Timetables, stops and departures of several public-transport networks, in one read-only API.

Guides to read first: [Quick start](/docs/guides/quick-start) · [Keys and units](/docs/guides/keys-and-units) ·
[Event streams](/docs/guides/event-streams) · [Errors](/docs/guides/errors) · [Freshness](/docs/guides/freshness) ·
[Caching](/docs/guides/caching) · [Changelog](/docs/guides/changelog)

## Keys

Every request but \`/v1/health\` and \`/v1/status\` carries \`Authorization: Bearer <API_KEY>\`. A key belongs to you: keep it
out of pages and repositories, and revoke it when it leaks. A key in the address of a request is never accepted.

## Answers

Every answer is an object of two members, \`data\` and \`meta\`. Timestamps in \`data\` are RFC 3339 with the numeric offset of
the network's local time. Where \`data\` is an empty list, \`meta.reason\` says why. Ids are opaque texts of the shape
\`<network>:<kind>:<local id>\`: percent-encode them in a path. New members and new values of listed words may be added at
any time.

## Units

A call costs the units its description names, told in \`meta.units\` and added up in \`/v1/usage\`. Answers of 200 and 304
cost, refusals do not.

## Streams

A stream sends server-sent events: the answer of the polled route at once, then every \`interval\` seconds, whole each time.
\`meta.units\` is 1 in the first and 0 in the others. A stream that the service ends says so in an event \`end\`:
\`max_duration\` after an hour, \`shutdown\` before a restart (connecting again within 30 seconds is free), \`key_revoked\`, or
the reason of the refusal that asking again would get. A reader that falls behind misses events, never the latest; one that
reads nothing for 30 seconds is disconnected. A key may hold 10 streams open, an account 50. Browsers' \`EventSource\` cannot
send the key: read the body of a \`fetch\` instead.

## Lists and pages

\`limit\` sets the size of a page. \`meta.next_cursor\`, given back as \`cursor\` with the same filters, gives the next one; it
is null on the last. The header \`Link\` has the address of the next page ready.

## Caching

Answers that change only with a new timetable have an \`ETag\`: send it back as \`If-None-Match\` and a 304 says that you hold
the answer already.

## Errors

Refusals are \`application/problem+json\` (RFC 9457). \`reason\` is for programs, \`detail\` for people, \`param\` and \`errors\`
name bad parameters with their values and what is allowed. \`request_id\` helps whoever runs the service to find the request.
All reasons are listed at [/docs/errors](/docs/errors).
`
