/** The trigger type that people, and `subworkflow` nodes of other workflows, fire. */
export const ENTRY_TRIGGER = 'manualTrigger';
