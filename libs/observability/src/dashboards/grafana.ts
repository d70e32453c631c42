/** A query of a panel. */
export interface Query {
  /** PromQL; `$__rate_interval` is a time that fits the scrape interval. */
  readonly expr: string;
  /** The name of the line: text with `{{label}}`. */
  readonly legend: string;
}

/** A panel with lines over time. */
export interface Panel {
  readonly title: string;
  /** A unit of Grafana: `s`, `reqps`, `percentunit`, `short`, `bytes`. */
  readonly unit: string;
  readonly queries: readonly Query[];
}

/** Panels under one heading. */
export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

/** A page of Grafana. */
export interface Dashboard {
  /** Name of its file, and its id in Grafana. */
  readonly name: string;
  readonly title: string;
  /** One line for the page of operators. */
  readonly meaning: string;
  readonly rows: readonly Row[];
}

/** Grafana divides the width of a page by this. */
const PAGE_WIDTH = 24;
const PANELS_PER_LINE = 3;
const PANEL_HEIGHT = 8;
const DATASOURCE = { type: 'prometheus', uid: '${datasource}' };

export const query = (legend: string, expr: string): Query => ({ legend, expr });

export const panel = (title: string, unit: string, ...queries: readonly Query[]): Panel => ({ title, unit, queries });

export const row = (title: string, ...panels: readonly Panel[]): Row => ({ title, panels });

/** Returns the dashboard as Grafana imports it. */
export function grafanaJson({ name, title, meaning, rows }: Dashboard): object {
  return {
    uid: `settle-${name}`,
    title: `Settle: ${title}`,
    description: meaning,
    tags: ['settle'],
    schemaVersion: 39,
    version: 1,
    editable: true,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: {
      list: [{ name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus' }],
    },
    panels: placed(rows),
  };
}

/** Places each row below the former, and its panels from left to right. */
function placed(rows: readonly Row[]): object[] {
  const all: object[] = [];
  let y = 0;
  for (const { title, panels } of rows) {
    all.push({
      id: all.length + 1,
      type: 'row',
      title,
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y, w: PAGE_WIDTH, h: 1 },
    });
    y += 1;
    const width = PAGE_WIDTH / Math.min(panels.length, PANELS_PER_LINE);
    panels.forEach((each, at) => {
      const line = Math.floor(at / PANELS_PER_LINE);
      const gridPos = { x: (at % PANELS_PER_LINE) * width, y: y + line * PANEL_HEIGHT, w: width, h: PANEL_HEIGHT };
      all.push(timeSeries(all.length + 1, each, gridPos));
    });
    y += Math.ceil(panels.length / PANELS_PER_LINE) * PANEL_HEIGHT;
  }
  return all;
}

function timeSeries(id: number, { title, unit, queries }: Panel, gridPos: object): object {
  return {
    id,
    type: 'timeseries',
    title,
    gridPos,
    datasource: DATASOURCE,
    fieldConfig: { defaults: { unit, custom: { fillOpacity: 10, showPoints: 'never' } }, overrides: [] },
    options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
    targets: queries.map(({ expr, legend }, at) => ({
      refId: 'ABCDEFGH'.charAt(at),
      datasource: DATASOURCE,
      expr,
      legendFormat: legend,
    })),
  };
}
