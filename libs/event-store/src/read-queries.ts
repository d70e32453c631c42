export const READ_FORWARDS = {
  name: 'event-store-read-forwards',
  text: `select position, stream, revision, type, id, data from events
    where stream = $1 and revision >= $2 order by revision limit $3`,
};

/** Reads the first events of many streams in one query. */
export const READ_SHORT_STREAMS = {
  name: 'event-store-read-short-streams',
  text: `select e.position, e.stream, e.revision, e.type, e.id, e.data from unnest($1::text[]) as asked (name),
    lateral (select * from events where stream = asked.name order by revision limit $2) e order by e.position`,
};

export const READ_BACKWARDS = {
  name: 'event-store-read-backwards',
  text: `select position, stream, revision, type, id, data from events
    where stream = $1 and revision <= $2 order by revision desc limit $3`,
};

/** Always returns the last row of the page, which shows the position that the page reaches. */
export const READ_PAGE = {
  name: 'event-store-read-page',
  text: `with page as materialized (
      select position, stream, revision, type, id, data from events where position > $1 order by position limit $2
    )
    select position, stream, revision, type, id, data from page
    where stream ^@ any ($3::text[]) or position = (select max(position) from page) order by position`,
};

export const READ_NEWEST = { name: 'event-store-read-newest', text: 'select max(position) from events' };
