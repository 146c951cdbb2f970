import { type ReactNode, useState } from 'react';
import { Outcome } from './outcome.tsx';

/** What a view asks in a dialog, such as whether to remove something, and what came of the last question. */
export const useQuestion = <Question,>() => {
  const [question, setQuestion] = useState<Question | null>(null);
  const [answer, setAnswer] = useState<{ readonly text: ReactNode; readonly isFinal: boolean } | null>(null);
  const forget = () => setAnswer(null);
  return {
    question,
    ask: (next: Question) => {
      forget();
      setQuestion(next);
    },
    close: () => setQuestion(null),
    /** @param isFinal - whether nothing is left that could be asked about */
    finish: (text: ReactNode, isFinal = false) => {
      setQuestion(null);
      setAnswer({ text, isFinal });
    },
    forget,
    isFinished: answer?.isFinal === true,
    /** What came of the question, for the head of the view. */
    outcome: answer !== null && (
      <Outcome dismissible={!answer.isFinal} onDismiss={forget}>
        <span className="any-length">{answer.text}</span>
      </Outcome>
    ),
  };
};
