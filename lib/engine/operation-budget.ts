/** A durable engine limits the operations of an execution, and this one would exceed the limit. */
export class OperationLimitError extends Error {
  constructor(limit: number) {
    super(`the execution needs more than the ${limit} durable operations that it may have`);
    this.name = 'OperationLimit';
  }
}

export interface OperationBudget {
  /** @throws OperationLimitError when no operation is left */
  take(): void;
}

/** Counts the operations of one execution, from zero in each process, since a replay repeats them all. */
export const createOperationBudget = (limit: number): OperationBudget => {
  let taken = 0;
  return {
    take: () => {
      if (taken >= limit) throw new OperationLimitError(limit);
      taken++;
    },
  };
};
