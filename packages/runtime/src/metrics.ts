import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** Never a row, a rule or a tenant: those grow without limit. */
export type MetricLabel = 'queue' | 'outcome' | 'reason' | 'route' | 'status'

type LabelValues<L extends MetricLabel> = Readonly<Record<L, string>>

export interface MetricCounter<L extends MetricLabel> {
  /** Adds `by` (one unless given) to the series of these labels. */
  add(labels: LabelValues<L>, by?: number): void
}

export interface MetricHistogram<L extends MetricLabel> {
  observe(labels: LabelValues<L>, value: number): void
}

export interface MetricGauge<L extends MetricLabel> {
  set(labels: LabelValues<L>, value: number): void
}

/** The only way to a metric. Names begin with `dwell_`, counters end in `_total`; base units (`_seconds`, `_bytes`). */
export interface Metrics {
  counter<L extends MetricLabel = never>(
    name: `dwell_${string}_total`,
    help: string,
    labels?: readonly L[],
  ): MetricCounter<L>
  histogram<L extends MetricLabel = never>(
    name: `dwell_${string}_${'seconds' | 'bytes' | 'rows'}`,
    help: string,
    options: { readonly buckets: readonly number[]; readonly labels?: readonly L[] },
  ): MetricHistogram<L>
  gauge<L extends MetricLabel = never>(name: `dwell_${string}`, help: string, labels?: readonly L[]): MetricGauge<L>
  /** A gauge that is read when somebody looks. A reading that fails leaves the series out of that answer. */
  observedGauge(name: `dwell_${string}`, help: string, read: () => Promise<number> | number): void
  /** Text of another source in the same format, e.g. of the queues; a source that fails is left out of that answer. */
  include(source: () => Promise<string>): void
  render(): Promise<string>
  readonly contentType: string
}

/** A registry of its own per process, with the runtime's standard series (memory, CPU, event loop). */
export function createMetrics(): Metrics {
  const registry = new Registry()
  const sources: (() => Promise<string>)[] = []
  collectDefaultMetrics({ register: registry })
  return {
    counter(name, help, labels = []) {
      const counter = new Counter({ name, help, labelNames: [...labels], registers: [registry] })
      // A series that exists from the start lets "nothing happened" be told from "nobody counts".
      if (labels.length === 0) counter.inc(0)
      return { add: (values, by = 1) => counter.inc(values, by) }
    },
    histogram(name, help, { buckets, labels = [] }) {
      const histogram = new Histogram({
        name,
        help,
        buckets: [...buckets],
        labelNames: [...labels],
        registers: [registry],
      })
      return { observe: (values, value) => histogram.observe(values, value) }
    },
    gauge(name, help, labels = []) {
      const gauge = new Gauge({ name, help, labelNames: [...labels], registers: [registry] })
      return { set: (values, value) => gauge.set(values, value) }
    },
    observedGauge(name, help, read) {
      const gauge = new Gauge({
        name,
        help,
        registers: [registry],
        async collect() {
          try {
            this.set(await read())
          } catch {
            this.set(Number.NaN)
          }
        },
      })
      gauge.set(Number.NaN)
    },
    include(source) {
      sources.push(source)
    },
    async render() {
      const own = await registry.metrics()
      const others = await Promise.all(sources.map((source) => source().catch(() => '')))
      return [own, ...others.filter((text) => text !== '').map((text) => `${text.trimEnd()}\n`)].join('')
    },
    contentType: registry.contentType,
  }
}
