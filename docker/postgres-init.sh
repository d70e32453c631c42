#!/bin/bash
# Runs once, on an empty volume: a database and a role of its own for each service. No role reaches another's database.
set -euo pipefail

make() {
  psql --set=ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres --set=name="$1" --set=password="$2" <<'SQL'
create role :"name" login password :'password' nosuperuser nocreatedb nocreaterole;
create database :"name" owner :"name" template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C';
revoke all on database :"name" from public;
SQL
}

make settle_auth "$AUTH_DB_PASSWORD"
make settle_users "$USERS_DB_PASSWORD"
make settle_payments "$PAYMENTS_DB_PASSWORD"
