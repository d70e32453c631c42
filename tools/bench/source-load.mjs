const MS_PER_SECOND = 1_000;
const TICK_MS = 10;

/** Pays one cent over HTTP. Answers `settled`, `pending`, or the reason why the payment is neither. */
async function payOnce(url, payer, payee) {
  const response = await fetch(`${url}/v1/payments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${payer.token}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ user_id: payee.id, note: 'bench', amount: '0.01', audience: 'private' }),
  });
  const { data, error } = await response.json();
  return data?.payment.status ?? error.code;
}

/**
 * A load of one cent each from the funding sources of these payers, who have no balance and take turns. `start()` begins it
 * at an even rate; the `stop()` that it returns waits for the last answer, and resolves with the number of payments for each
 * answer.
 */
export function createSourceLoad({ url, payers, payees, perSecond }) {
  let drawn = 0;
  return function start() {
    const answers = {};
    const running = new Set();
    const beganAtMs = performance.now();
    let sent = 0;
    const send = () => {
      const payer = payers[drawn++ % payers.length];
      const payment = payOnce(url, payer, payees[drawn % payees.length])
        .catch(() => 'no answer')
        .then((answer) => {
          answers[answer] = (answers[answer] ?? 0) + 1;
          running.delete(payment);
        });
      running.add(payment);
    };
    const timer = setInterval(() => {
      const due = ((performance.now() - beganAtMs) / MS_PER_SECOND) * perSecond;
      for (; sent < due; sent += 1) send();
    }, TICK_MS);
    return async function stop() {
      clearInterval(timer);
      await Promise.all(running);
      return answers;
    };
  };
}
