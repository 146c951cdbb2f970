/** Types of the credentials that a sender is verified with. */
export const SENDER_CREDENTIAL_TYPES: readonly string[] = ['signingSecret'];
