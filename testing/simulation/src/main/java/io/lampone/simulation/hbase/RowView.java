package io.lampone.simulation.hbase;

import io.lampone.client.core.IntentResolver.Intent;
import io.lampone.coprocessor.core.intent.StoredRow;
import io.lampone.coprocessor.core.intent.StoredRow.Next;
import io.lampone.coprocessor.core.intent.StoredRow.Selection;
import io.lampone.coprocessor.core.intent.StoredRow.StoredCell;
import io.lampone.coprocessor.core.visibility.FamilyView;
import io.lampone.coprocessor.core.visibility.ReadView;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionId;
import io.lampone.simulation.world.Schema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Row as a server shows it: values, or the intents that have to be resolved first.
 *
 * @param row its name
 * @param values by column, without absent and deleted ones
 * @param pointers intents of unknown fate; if there are any, the values mean nothing
 */
public record RowView(Bytes row, Map<Schema.Column, Bytes> values, List<Intent> pointers) {

  /** Reads a row through a view, as the region server's filter does without a user's filter. */
  public static RowView read(Bytes name, StoredRow row, ReadView view) {
    return read(name, row, view, Schema.FAMILIES);
  }

  static RowView read(Bytes name, StoredRow row, ReadView view, List<Bytes> families) {
    RowView found = new RowView(name, new HashMap<>(), new ArrayList<>());
    try {
      for (Bytes family : families) {
        found.readFamily(row, view, family);
      }
    } catch (IOException e) {
      throw new IllegalStateException("a simulated row can always be read", e);
    }
    return found;
  }

  private void readFamily(StoredRow stored, ReadView view, Bytes family) throws IOException {
    int readAhead = 2;
    FamilyView judge = new FamilyView(view, stored, family, readAhead);
    Set<Long> pointed = new HashSet<>();
    stored.visit(
        new Selection(List.of(family), List.of(), 0, view.highestVersion()),
        cell -> take(judge, cell, pointed));
  }

  private Next take(FamilyView judge, StoredCell cell, Set<Long> pointed) throws IOException {
    if (Reserved.isReserved(cell.qualifier())) {
      return judge.reserved(cell) == FamilyView.Step.NEXT_VERSION ? Next.VERSION : Next.COLUMN;
    }
    if (cell.qualifier().compareTo(Reserved.PREFIX) < 0) {
      judge.readAside();
    }
    switch (judge.data(cell)) {
      case NEXT_VERSION -> {
        return Next.VERSION;
      }
      case NEXT_COLUMN -> {}
      case POINT -> {
        if (pointed.add(judge.undecidedStart())) {
          RowFamily place = Schema.place(row, cell.family());
          RowFamily leader = judge.undecidedCell().leader().orElse(place);
          pointers.add(new Intent(new TransactionId(judge.undecidedStart(), leader), place));
        }
      }
      case SHOW ->
          values.put(new Schema.Column(cell.family(), cell.qualifier()), Bytes.wrap(cell.value()));
    }
    return Next.COLUMN;
  }
}
