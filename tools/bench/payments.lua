-- Load for wrk: draws a payer and a payee for every request. Settings come by the environment, wallets from a file
-- with one "token id" a line. Prints what it measured as one JSON line.
local payers, payees = {}, {}
local mode = os.getenv("BENCH_MODE")
-- Above zero: each payer pays the payee that stands so many places after it.
local payee_offset = tonumber(os.getenv("BENCH_PAYEE_OFFSET"))

local function read_wallets(path, from, to)
  local found, at = {}, 0
  for line in io.lines(path) do
    local token, id = line:match("^(%S+) (%S+)$")
    if at >= from and at < to then found[#found + 1] = { token = token, id = id } end
    at = at + 1
  end
  return found
end

local function range(name)
  local from, to = os.getenv(name):match("^(%d+)-(%d+)$")
  return tonumber(from), tonumber(to)
end

function init(_)
  math.randomseed(tonumber(os.getenv("BENCH_SEED")))
  local path = os.getenv("BENCH_WALLETS")
  payers = read_wallets(path, range("BENCH_PAYERS"))
  payees = read_wallets(path, range("BENCH_PAYEES"))
  local host = wrk.host .. ":" .. wrk.port
  for _, payer in ipairs(payers) do
    local head = "Host: " .. host .. "\r\nAuthorization: Bearer " .. payer.token .. "\r\n"
    if mode == "pay" then
      payer.head = "POST /v1/payments HTTP/1.1\r\n" .. head .. "Content-Type: application/x-www-form-urlencoded\r\n"
    else
      payer.request = "GET " .. os.getenv("BENCH_PATH") .. " HTTP/1.1\r\n" .. head .. "\r\n"
    end
  end
  for _, payee in ipairs(payees) do
    local body = "user_id=" .. payee.id .. "&note=bench&amount=0.01&audience=private"
    payee.tail = "Content-Length: " .. #body .. "\r\n\r\n" .. body
  end
end

local pause_ms = tonumber(os.getenv("BENCH_PAUSE_MS"))
local overload = os.getenv("BENCH_OVERLOAD")
-- Milliseconds of the last `Retry-After`: the next connections to pause wait that long, whichever received it.
local told = {}

if pause_ms > 0 then
  -- Exponential pauses of many connections together make arrivals by chance, as those of many people are.
  function delay()
    return math.floor(-math.log(1 - math.random()) * pause_ms) + (table.remove(told) or 0)
  end
end

if overload ~= "" then
  -- Counted by hand only here: reading every answer costs the generator CPU that the product could use.
  served, turned_away, other = 0, 0, 0
  function response(status, headers, _)
    if status == 200 then served = served + 1
    elseif status == 503 then turned_away = turned_away + 1
    else other = other + 1 end
    local retry_after = headers["retry-after"] or headers["Retry-After"]
    if retry_after and overload == "patient" then told[#told + 1] = tonumber(retry_after) * 1000 end
  end
end

local thread
function setup(only) thread = only end

function request()
  local at = math.random(#payers)
  local payer = payers[at]
  if mode ~= "pay" then return payer.request end
  if payee_offset > 0 then return payer.head .. payees[(at - 1 + payee_offset) % #payees + 1].tail end
  local payee = payees[math.random(#payees)]
  while payee.id == payer.id do payee = payees[math.random(#payees)] end
  return payer.head .. payee.tail
end

function done(summary, latency, _)
  local errors = summary.errors
  io.write(string.format(
    '\nRESULT {"requests":%d,"seconds":%.6f,"refused":%d,"broken":%d,"p50Ms":%.3f,"p95Ms":%.3f,"p99Ms":%.3f,' ..
      '"served":%d,"turnedAway":%d,"other":%d}\n',
    summary.requests, summary.duration / 1e6, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50) / 1e3, latency:percentile(95) / 1e3, latency:percentile(99) / 1e3,
    thread:get("served") or 0, thread:get("turned_away") or 0, thread:get("other") or 0))
end
