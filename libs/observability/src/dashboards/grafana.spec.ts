import { DASHBOARDS } from './dashboards-table.js';
import { grafanaJson } from './grafana.js';

interface Placed {
  readonly id: number;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
}

const panelsOf = (json: object): readonly Placed[] => (json as { readonly panels: readonly Placed[] }).panels;
const overlap = ({ gridPos: a }: Placed, { gridPos: b }: Placed): boolean =>
  a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

describe('the dashboards', () => {
  it.each(DASHBOARDS)(
    'given $name, when it is printed, then ids are unique and no panels overlap or leave the page',
    (dashboard) => {
      const panels = panelsOf(grafanaJson(dashboard));
      expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
      expect(panels.filter(({ gridPos: { x, w } }) => x + w > 24)).toEqual([]);
      expect(panels.filter((a) => panels.some((b) => a.id < b.id && overlap(a, b)))).toEqual([]);
    },
  );

  it('given all, when their file names are compared, then each is unique', () => {
    expect(new Set(DASHBOARDS.map(({ name }) => name)).size).toBe(DASHBOARDS.length);
  });
});
