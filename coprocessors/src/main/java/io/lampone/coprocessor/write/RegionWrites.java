package io.lampone.coprocessor.write;

import io.lampone.coprocessor.OpenRegion;
import io.lampone.coprocessor.Permissions;
import io.lampone.coprocessor.core.intent.RegularWrite;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.TransactionCell.DeletedColumn;
import io.lampone.protocol.request.RegionReply;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.AbortLeader;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.request.RegionRequest.IntentCell;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import org.apache.hadoop.hbase.HConstants;

/**
 * Executes a region request atomically: checks before locking, then HBase's write path with all
 * rows locked exclusively, in ascending order, as one log entry and one MVCC transaction (protocol
 * page, section 3).
 */
public final class RegionWrites {

  private final OpenRegion open;
  private final RequestGuards guards;

  private final Permissions permissions;

  public RegionWrites(OpenRegion open, Permissions permissions) {
    this.open = open;
    this.permissions = permissions;
    this.guards = new RequestGuards(open);
  }

  public RegionReply execute(RegionRequest request) throws IOException {
    TableSettings settings = open.requireTransactional();
    guards.requireRows(request.rows());
    guards.requireWholeValues();
    if (request instanceof Flush flush) {
      requireFlush(flush, settings);
    } else if (request instanceof AbortLeader abort) {
      guards.requireFamily(abort.family());
    }
    RegularWrite write =
        new RegularWrite(
            request,
            open.rules(settings),
            new RegularWrite.Setting(
                open.guards(),
                open.clock(),
                open.recent(),
                open.fast().settled(),
                open.fast().known()));
    write.admit();
    RequestBatch batch = new RequestBatch(request, write, open, permissions);
    try {
      open.region()
          .mutateRowsWithLocks(
              batch.mutations(), batch.rows(), HConstants.NO_NONCE, HConstants.NO_NONCE);
    } catch (IOException | RuntimeException e) {
      write.failed();
      throw e;
    }
    write.confirm();
    return batch.reply();
  }

  private void requireFlush(Flush flush, TableSettings settings) throws IOException {
    guards.requireEnabled(settings);
    guards.requireLevel(flush.level(), settings);
    int cells = 0;
    for (RowIntents row : flush.intents()) {
      if (row.families().isEmpty()) {
        throw RequestGuards.malformed("row without families");
      }
      Set<Bytes> seen = new HashSet<>();
      for (FamilyIntents family : row.families()) {
        if (!seen.add(family.family())) {
          throw RequestGuards.malformed("family named twice");
        }
        cells += family.cells().size();
        requireFamily(flush, row.row(), family);
      }
    }
    guards.requireCells(cells);
    requirePlaces(flush);
  }

  /** Checks places after the rows, whose errors report that the sender's families are outdated. */
  private void requirePlaces(Flush flush) throws IOException {
    guards.requirePlace(flush.leader());
    for (RowIntents row : flush.intents()) {
      for (FamilyIntents family : row.families()) {
        if (family.followers().isPresent()) {
          for (RowFamily place : family.followers().get().places()) {
            guards.requirePlace(place);
          }
        }
      }
    }
  }

  private void requireFamily(Flush flush, Bytes row, FamilyIntents intents) throws IOException {
    for (IntentCell cell : intents.cells()) {
      if (cell.kind() == IntentKind.DELETE_FAMILY) {
        guards.requireRowDelete(row, cell);
      }
    }
    guards.requireFamily(intents.family());
    boolean leads = new RowFamily(open.table(), row, intents.family()).equals(flush.leader());
    if (intents.followers().isPresent() && !leads) {
      throw RequestGuards.malformed("only the leader has followers");
    }
    SlotSet deletes = SlotSet.NONE;
    Set<DeletedColumn> columns = new HashSet<>();
    for (IntentCell cell : intents.cells()) {
      boolean isNew;
      if (cell.kind() == IntentKind.DELETE_FAMILY) {
        isNew = !deletes.contains(cell.slot());
        deletes = deletes.with(cell.slot());
      } else {
        isNew = columns.add(new DeletedColumn(cell.slot(), cell.qualifier()));
        guards.requireQualifier(row, cell.qualifier());
      }
      if (!isNew) {
        throw RequestGuards.malformed("column named twice");
      }
      guards.requireValue(row, cell.value());
    }
  }
}
