select currency, sum(cents) as cents
from {{ ref('account_balances') }}
group by currency
having sum(cents) <> 0
