import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  type Sampler,
} from '@opentelemetry/sdk-trace';
import type { Logger } from './logger.js';

const DEFAULT_NAME = 'parentbased_always_on';
const DEFAULT_RATIO = 1;
const PARENT_BASED = 'parentbased_';

interface SamplerSettings {
  /** `OTEL_TRACES_SAMPLER`. */
  readonly name: string;
  /** `OTEL_TRACES_SAMPLER_ARG`: the share of traces to sample, 0 to 1, for the samplers with a ratio. */
  readonly arg: string | undefined;
}

/**
 * Returns the sampler that the standard settings of OpenTelemetry name; the SDK does not read them. Of an unknown name or
 * ratio it logs a warning and, as OpenTelemetry specifies, samples every trace whose caller does not decide otherwise.
 */
export function createSampler({ name, arg }: SamplerSettings, logger: Pick<Logger, 'warn'>): Sampler {
  const [isParentBased, base] = name.startsWith(PARENT_BASED) ? [true, name.slice(PARENT_BASED.length)] : [false, name];
  const root = createRootSampler(base, arg, logger);
  if (root !== null) return isParentBased ? new ParentBasedSampler({ root }) : root;
  logger.warn({ sampler: name }, `OTEL_TRACES_SAMPLER is unknown; using ${DEFAULT_NAME}`);
  return new ParentBasedSampler({ root: new AlwaysOnSampler() });
}

function createRootSampler(name: string, arg: string | undefined, logger: Pick<Logger, 'warn'>): Sampler | null {
  switch (name) {
    case 'always_on':
      return new AlwaysOnSampler();
    case 'always_off':
      return new AlwaysOffSampler();
    case 'traceidratio':
      return new TraceIdRatioBasedSampler(readRatio(arg, logger));
    default:
      return null;
  }
}

function readRatio(arg: string | undefined, logger: Pick<Logger, 'warn'>): number {
  const text = arg?.trim() ?? '';
  const ratio = Number(text);
  if (text !== '' && ratio >= 0 && ratio <= 1) return ratio;
  logger.warn({ ratio: text }, `OTEL_TRACES_SAMPLER_ARG is not a number from 0 to 1; using ${DEFAULT_RATIO}`);
  return DEFAULT_RATIO;
}
