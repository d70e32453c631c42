#!/bin/bash
# Runs once, on an empty volume, and may be run again on one that is not: for each service a database, a role that the
# service runs as, and a role that owns the tables and migrates them. No role reaches another service's database.
set -euo pipefail

make() {
  psql --set=ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres --set=name="$1" --set=password="$2" \
    --set=migrations="$1_migrations" --set=migrations_password="$MIGRATIONS_DB_PASSWORD" <<'SQL'
select format('create role %I nosuperuser nocreatedb nocreaterole', role)
from unnest(array[:'name', :'migrations']) as wanted (role)
where not exists (select from pg_roles where rolname = role) \gexec
alter role :"name" login password :'password';
alter role :"migrations" login password :'migrations_password';
-- With it the first migration takes over the tables of an older release, which belong to the service's role.
grant :"name" to :"migrations";
select format(
  'create database %I template template0 encoding ''UTF8'' lc_collate ''C'' lc_ctype ''C''', :'name')
where not exists (select from pg_database where datname = :'name') \gexec
begin;
alter database :"name" owner to :"migrations";
revoke all on database :"name" from public;
grant connect on database :"name" to :"name";
commit;
SQL
}

# One database for each service that has a password, such as AUTH_DB_PASSWORD.
variables=$(compgen -e | grep '_DB_PASSWORD$' | grep -v '^MIGRATIONS_')
for variable in $variables; do
  service=${variable%_DB_PASSWORD}
  make "settle_${service,,}" "${!variable}"
done
