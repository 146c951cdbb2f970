import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { type ReactNode, useId, useState } from 'react';
import type { EditorNames } from '../code-editor.tsx';
import type { takeExpression } from '../expression/dropped-expression.ts';

interface Folding {
  readonly isFolded: boolean;
  /** Whether closing it removes a value. */
  readonly isSet: boolean;
  readonly onToggle: () => void;
}

interface FieldFrameProps {
  readonly label: string;
  /** Listeners for what is dropped on it. */
  readonly dropping: ReturnType<typeof takeExpression>;
  readonly isRequired: boolean;
  readonly description: string;
  readonly messages: readonly string[];
  /** What opens and closes it; null if it is always open. */
  readonly folding: Folding | null;
  /** Buttons beside the label, while it is open. */
  readonly actions: ReactNode;
  /** The control, which refers to the label, description and problems by their ids. */
  readonly children: (
    names: Required<Pick<EditorNames, 'labelledBy' | 'describedBy' | 'isInvalid'>>,
  ) => ReactNode;
}

/** A label, what it means, and what is wrong with the value; one line that opens it while it is folded. */
export const FieldFrame = (props: FieldFrameProps): ReactNode => {
  const { label, dropping, isRequired, description, messages, folding, actions, children } = props;
  const isFolded = folding?.isFolded === true;
  const id = useId();
  // What is wrong with a whole form is not announced field by field.
  const [isTyped, setTyped] = useState(false);
  const describedBy = `${id}-problems ${id}-description`;
  return (
    <fieldset
      {...dropping}
      className="form-field"
      aria-label={`${label}${isRequired ? ' (required)' : ''}`}
      onInput={() => setTyped(true)}
    >
      <div className="form-field-head">
        {!isFolded && (
          <span id={`${id}-label`} className="form-label">
            {label}
            {isRequired && ' (required)'}
          </span>
        )}
        {folding !== null && <FoldButton label={label} {...folding} />}
        {isFolded ? <span className="form-description">{description}</span> : actions}
      </div>
      {!isFolded && (
        <>
          <div id={`${id}-description`} className="form-description">
            {description}
          </div>
          {children({ labelledBy: `${id}-label`, describedBy, isInvalid: messages.length > 0 })}
          <div id={`${id}-problems`} aria-live={isTyped ? 'polite' : 'off'}>
            <ProblemList messages={messages} />
          </div>
        </>
      )}
    </fieldset>
  );
};

/** One button in all states, so that it keeps the focus. */
const FoldButton = ({
  label,
  isFolded,
  isSet,
  onToggle,
}: Folding & { readonly label: string }): ReactNode => {
  const action = isSet ? 'Remove' : 'Close';
  return (
    <Button
      variant="inline-link"
      ariaExpanded={!isFolded}
      ariaLabel={isFolded ? `Add ${label} …` : `${action} ${label}`}
      onClick={onToggle}
    >
      {isFolded ? `Add ${label} …` : action}
    </Button>
  );
};

export const ProblemList = ({ messages }: { readonly messages: readonly string[] }): ReactNode =>
  messages.map((message) => (
    <Box key={message}>
      <StatusIndicator type="error" iconAriaLabel="Error:">
        {message}
      </StatusIndicator>
    </Box>
  ));
