/** A CloudFormation template as the Serverless Framework packages it. */
export interface Template {
  readonly Resources: Record<string, TemplateResource>;
  readonly Outputs?: Record<string, object>;
}

/** One resource of it; what is changed is writable. */
export interface TemplateResource {
  readonly Type: string;
  DeletionPolicy?: string;
  DependsOn?: string | string[];
  Properties?: Record<string, unknown>;
}

/** The logical names of all resources of a type. */
export const idsOfType = ({ Resources }: Template, type: string): readonly string[] =>
  Object.keys(Resources).filter((id) => Resources[id]?.Type === type);
