/** An engine that resumes runs takes a limited number of operations per execution, and this would be one more. */
export class OperationLimitError extends Error {
  constructor(limit: number) {
    super(`the execution needs more than the ${limit} durable operations that it may have`);
    this.name = 'OperationLimit';
  }
}

/** How many more operations an execution may have. */
export interface OperationBudget {
  /** Takes one. @throws OperationLimitError when none is left */
  take(): void;
}

/** The budget of one execution, counted anew in each of its processes: a replay asks for everything again. */
export const createOperationBudget = (limit: number): OperationBudget => {
  let taken = 0;
  return {
    take: () => {
      if (taken >= limit) throw new OperationLimitError(limit);
      taken++;
    },
  };
};
