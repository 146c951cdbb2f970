export interface Statement {
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: object;
}

export const statementsOf = (role: Record<string, unknown>): Statement[] =>
  ((role.Policies ?? []) as { PolicyDocument: { Statement: Statement[] } }[]).flatMap(
    ({ PolicyDocument }) => PolicyDocument.Statement,
  );

/** What a resource is, in short: its logical name, or the last part of its ARN. */
export const placesOf = (resource: unknown): string[] =>
  [resource].flat().map((one) => {
    if (typeof one === 'string') return one;
    const { 'Fn::GetAtt': attribute, 'Fn::Sub': text = '' } = one as {
      'Fn::GetAtt'?: [string, string];
      'Fn::Sub'?: string;
    };
    if (attribute !== undefined) return attribute[0];
    const table = /^\$\{(\w+)\.Arn\}(.*)$/.exec(text);
    if (table !== null) return table[1] === 'BlobBucket' ? 'BlobBucket' : `${table[1]}${table[2]}`;
    return text
      .replace(/^.*:function:hookloom-dev-/, '')
      .replace(/^.*:(?=event-bus|event-source-mapping|parameter|secret:|role|rule|schedule)/, '')
      .replace(/^.*:(?=\*:\*$)/, '')
      .replace('hookloom-dev', 'STAGE');
  });

/** What a role of the template allows: `action place`. */
export const grantsOf = (role: Record<string, unknown>): string[] =>
  statementsOf(role).flatMap(({ Action, Resource }) =>
    [Action].flat().flatMap((action) => placesOf(Resource).map((place) => `${action} ${place}`)),
  );
