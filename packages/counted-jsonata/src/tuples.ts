import { Frame } from './run.ts';
import { Sequence } from './values.ts';

/** A value of a step (`@`) with the variables and ancestors that were bound before it. */
export type Tuple = Record<string, unknown>;

export const isTupleStream = (list: unknown): list is Sequence =>
  list instanceof Sequence && list.tupleStream;

/** The scope of a step for one tuple. */
export const toFrame = (frame: Frame, tuple: Tuple): Frame => {
  const inner = new Frame(frame);
  for (const name of Object.keys(tuple)) inner.bind(name, tuple[name]);
  return inner;
};

/** @param index - the variable for the position */
export const toTuples = (values: readonly unknown[], index?: string): Sequence => {
  const tuples = new Sequence();
  tuples.tupleStream = true;
  for (const [position, value] of values.entries()) {
    const tuple: Tuple = Object.create(null);
    tuple['@'] = value;
    if (index !== undefined) tuple[index] = position;
    tuples.push(tuple);
  }
  return tuples;
};

export const valuesOf = (tuples: Sequence): Sequence => {
  const values = new Sequence();
  for (const tuple of tuples as Tuple[]) values.push(tuple['@']);
  return values;
};
