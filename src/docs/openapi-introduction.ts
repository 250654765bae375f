// The introduction of the API reference: the rules common to all routes.

/** The introduction, in Markdown. */
export const INTRODUCTION = `Timetables, live departures, vehicles and journeys for public-transport networks, in one read-only API.

Guides: [Quick start](/docs/guides/quick-start) · [Keys and units](/docs/guides/keys-and-units) ·
[Trips](/docs/guides/trips) · [Event streams](/docs/guides/event-streams) · [Errors](/docs/guides/errors) · [Freshness](/docs/guides/freshness) ·
[Caching](/docs/guides/caching) · [Changelog](/docs/guides/changelog)

## Keys

Send \`Authorization: Bearer <API_KEY>\` with every request, except to \`/v1/health\` and \`/v1/status\`. Keep your key
secret: don't put it in web pages or repositories, and revoke it if it leaks. Keys in URLs are not accepted.

## Responses

Every response is an object with two members, \`data\` and \`meta\`. Timestamps in \`data\` are RFC 3339, in the network's local
time with its numeric offset. If \`data\` is an empty list, \`meta.reason\` says why. Ids are opaque strings of the form
\`<network>:<kind>:<local id>\`; percent-encode them in paths. New members and new enum values may be added at any time.

## Units

Each operation lists its cost in units. \`meta.units\` is the cost of a call, and \`/v1/usage\` returns your account's total.
Only 200 and 304 responses cost units; errors are free.

## Streams

A stream sends the response of the same route without \`/stream\`, as server-sent events: the first immediately, then one
every \`interval\` seconds. Each event contains the whole response. \`meta.units\` is 1 in the first event and 0 in the others.

If the service ends a stream, the last event is \`end\`, with a reason: \`max_duration\` after an hour, \`shutdown\` before a
restart (reconnecting within 30 seconds is free), \`key_revoked\`, \`trip_ended\`, or the reason for the error that
a new request would get.

A slow client misses events, but always gets the latest one. A client that reads nothing for 30 seconds is disconnected.
Each key can have 10 open streams, and each account 50. The browser's \`EventSource\` cannot send a key: use \`fetch\` and
read the response body.

## Lists and pages

\`limit\` sets the page size. To get the next page, send \`meta.next_cursor\` as \`cursor\` with the same filters. On the
last page, \`meta.next_cursor\` is null. The \`Link\` header contains the URL of the next page.

## Caching

Responses that change only with the timetable have an \`ETag\`. Send it back in \`If-None-Match\`: a 304 means that your cached
response is current.

## Errors

Errors are \`application/problem+json\` (RFC 9457). Programs should use \`reason\`; \`detail\` is for people. \`param\` and
\`errors\` name the invalid parameters, their values and what is allowed. Include \`request_id\` when you contact the operator.
All reasons are listed at [/docs/errors](/docs/errors).
`
