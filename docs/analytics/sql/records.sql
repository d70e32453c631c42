-- Records as they were read. Those of an earlier epoch, and those above the extent of their topic, are not in the tables.
create table if not exists records (
  topic text,
  epoch integer,
  position bigint,
  key text,
  time text,
  type text,
  data text,
  primary key (topic, epoch, position)
);

-- How far each topic is complete: up to a position.
create table if not exists extents (topic text, epoch integer, until_position bigint, primary key (topic, epoch));

-- Where reading continues on Kafka.
create table if not exists places (
  topic text,
  partition integer,
  epoch integer,
  next_offset bigint,
  primary key (topic, partition)
);
