/** The type of trigger that notices fire: a workflow that begins with it sends them to people. */
export const NOTICE_TRIGGER = 'noticeTrigger';

/** What a notice can be about. */
export const NOTICE_KINDS = ['failure', 'silence', 'expiry', 'cost'] as const;
