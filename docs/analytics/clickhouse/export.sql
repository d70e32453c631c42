-- Fills `records` from a file that `npm run events -- export` has written, packed with gzip or not.
insert into records
select topic, 1, position, key, parseDateTime64BestEffort(time, 6, 'UTC'), type, data
from file(
  'sample/events.ndjson.gz',
  JSONEachRow,
  'topic String, position UInt64, key String, time String, type String, data String'
);
