select
  account,
  split_part(account, ':', 1) as kind,
  nullif(split_part(account, ':', 2), '') as owner_id,
  currency,
  cents
from {{ source('settle', 'balances') }}
order by account
