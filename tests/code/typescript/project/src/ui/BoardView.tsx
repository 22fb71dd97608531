import { memo, useEffect, useState, type ReactNode } from 'react';
import { Board, Card, Lane } from '@model';
import * as model from '@/model/card';
import type { Store } from '../store';

interface Props {
  store: Store;
  children?: ReactNode;
}

interface RowProps {
  card: Card;
  onPick(card: Card): void;
}

interface LaneProps {
  lane: Lane;
}

const colours = new Map<model.Priority, string>([[model.Priority.Urgent, 'red']]);

const Row = ({ card, onPick }: RowProps) => (
  <li style={{ color: colours.get(card.weight()) }} onClick={() => onPick(card)}>
    {card.describe()}
  </li>
);

const LaneView = memo(function ({ lane }: LaneProps) {
  const [, redraw] = useState(0);
  useEffect(() => lane.changed.on(() => redraw((n) => n + 1)), [lane]);
  return (
    <ul title={lane.name}>
      {lane.cards.map((card) => (
        <Row key={card.id} card={card} onPick={pick} />
      ))}
    </ul>
  );
});

function pick(card: Card): void {
  card.tag('picked');
}

function useBoard(store: Store): Board | undefined {
  const [board, setBoard] = useState<Board>();
  useEffect(() => {
    store.load().then(setBoard);
  }, [store]);
  return board;
}

export default function BoardView({ store, children }: Props) {
  const board = useBoard(store);
  if (!board) return <p>…</p>;
  return (
    <main>
      {board.columns.map((lane) => (
        <LaneView key={lane.name} lane={lane} />
      ))}
      {children}
    </main>
  );
}
