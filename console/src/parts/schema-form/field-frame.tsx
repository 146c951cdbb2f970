import Box from '@cloudscape-design/components/box';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { type ReactNode, useId } from 'react';
import type { EditorNames } from '../code-editor.tsx';
import type { takeExpression } from '../expression/dropped-expression.ts';

interface FieldFrameProps {
  readonly label: string;
  /** Listeners for what is dropped on it. */
  readonly dropping: ReturnType<typeof takeExpression>;
  readonly isRequired: boolean;
  readonly description: string;
  readonly messages: readonly string[];
  /** Buttons beside the label. */
  readonly actions: ReactNode;
  /** The control, which refers to the label, description and problems by their ids. */
  readonly children: (
    names: Required<Pick<EditorNames, 'labelledBy' | 'describedBy' | 'isInvalid'>>,
  ) => ReactNode;
}

/** A label, what it means, and what is wrong with the value. */
export const FieldFrame = (props: FieldFrameProps): ReactNode => {
  const { label, dropping, isRequired, description, messages, actions, children } = props;
  const id = useId();
  const describedBy = `${id}-description ${id}-problems`;
  return (
    <fieldset {...dropping} className="form-field" aria-labelledby={`${id}-label`}>
      <div className="form-field-head">
        <span id={`${id}-label`} className="form-label">
          {label}
          {isRequired && ' (required)'}
        </span>
        {actions}
      </div>
      <div id={`${id}-description`} className="form-description">
        {description}
      </div>
      {children({ labelledBy: `${id}-label`, describedBy, isInvalid: messages.length > 0 })}
      <div id={`${id}-problems`}>
        <ProblemList messages={messages} />
      </div>
    </fieldset>
  );
};

export const ProblemList = ({ messages }: { readonly messages: readonly string[] }): ReactNode =>
  messages.map((message) => (
    <Box key={message}>
      <StatusIndicator type="error">{message}</StatusIndicator>
    </Box>
  ));
