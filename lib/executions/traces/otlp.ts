// OTLP 1.10 in JSON: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
// Ids are hexadecimal, 64-bit numbers are strings, enumerations are numbers.

type AnyValue =
  | { readonly stringValue: string }
  | { readonly boolValue: boolean }
  | { readonly intValue: string }
  | { readonly doubleValue: number };

interface KeyValue {
  readonly key: string;
  readonly value: AnyValue;
}

interface SpanEvent {
  readonly timeUnixNano: string;
  readonly name: string;
  readonly attributes: readonly KeyValue[];
}

interface SpanLink {
  readonly traceId: string;
  readonly spanId: string;
  readonly attributes: readonly KeyValue[];
}

/** A span as it is sent. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  /** Absent for the root of a trace. */
  readonly parentSpanId?: string;
  /** Whether the parent is a span of another service. */
  readonly flags: number;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly KeyValue[];
  readonly events: readonly SpanEvent[];
  readonly links: readonly SpanLink[];
  readonly status: { readonly code?: number };
}

export const SPAN_KIND = { internal: 1, server: 2, consumer: 5 } as const;
export const STATUS_ERROR = 2;

/** The lowest bit is the trace flag `sampled`; the next say that it is known whether the parent is remote, and that it is. */
export const SPAN_FLAGS = { local: 0x101, remote: 0x301 } as const;

/** Values by their names; those that are undefined are left out. */
export type AttributeValues = Readonly<Record<string, string | number | boolean | undefined>>;

export const toAttributes = (values: AttributeValues): KeyValue[] =>
  Object.entries(values).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: toAnyValue(value) }],
  );

const toAnyValue = (value: string | number | boolean): AnyValue => {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
};

/** @param ms - since the epoch */
export const toNanos = (ms: number): string => String(BigInt(Math.trunc(ms)) * 1_000_000n);

/** The body of a request with spans. @param resource - what sends them */
export const toTracesBody = (spans: readonly Span[], resource: AttributeValues, version: string): string =>
  JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: toAttributes(resource) },
        scopeSpans: [{ scope: { name: 'hookloom', version }, spans }],
      },
    ],
  });
