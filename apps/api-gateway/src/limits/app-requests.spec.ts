import { LIMITS } from '@settle/config';
import { AppRequests } from './app-requests.js';

describe('requests counted for each app', () => {
  it('given more apps than metrics name, when they are counted, then the later ones share one name', () => {
    const requests = new AppRequests();
    const apps = LIMITS.gateway.appsMeasured + 20;
    for (let app = 0; app < apps; app += 1) requests.of(String(app)).admitted += 1;
    requests.of('0').refused += 1;
    const lines = requests.reading() as [{ app: string; outcome: string }, number][];
    const names = new Set(lines.map(([{ app }]) => app));
    expect(names.size).toBe(LIMITS.gateway.appsMeasured + 1);
    const valueOf = (app: string, outcome: string) =>
      lines.find(([labels]) => labels.app === app && labels.outcome === outcome)?.[1];
    expect([valueOf('0', 'admitted'), valueOf('0', 'refused'), valueOf('other', 'admitted')]).toEqual([1, 1, 20]);
  });
});
