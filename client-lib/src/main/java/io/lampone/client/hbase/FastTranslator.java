package io.lampone.client.hbase;

import io.lampone.client.LamponeException.Code;
import io.lampone.client.core.OpenTransaction.Write;
import io.lampone.client.fastpath.FastPathId;
import io.lampone.client.fastpath.FastPathOperation;
import io.lampone.client.fastpath.RowVersion;
import io.lampone.client.hbase.read.ReadRules;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.request.FastCondition;
import io.lampone.protocol.request.FastCondition.Place;
import io.lampone.protocol.request.FastOperation;
import io.lampone.protocol.request.FastOperation.Kind;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;

/**
 * Turns HBase's operations into those of the fast path, and refuses what it cannot do.
 *
 * @param writes the rules for puts and deletes, which are those of transactions
 */
record FastTranslator(WriteTranslator writes) {

  /**
   * One operation.
   *
   * @param id its name; the row is the operation's
   * @throws BadRequestException if it asks for something that cannot be
   */
  FastOperation translate(
      TransactionalTableView table, FastPathOperation operation, FastPathId id) {
    Row action = operation.action();
    FastCondition condition = new FastCondition.Always();
    if (operation.expected().isPresent()) {
      condition = unchanged(action.getRow(), operation.expected().get());
    } else if (operation.knownSchema().isPresent()) {
      condition = new FastCondition.SchemaUnchanged(operation.knownSchema().getAsLong());
    } else if (action instanceof CheckAndMutate check) {
      condition = compare(table, check);
      action = check.getAction();
    }
    List<FastOperation.Mutation> mutations = new ArrayList<>();
    boolean returnsCells = addAll(table, action, mutations);
    return new FastOperation(
        id.row(), id.operation(), false, id.above(), condition, returnsCells, mutations);
  }

  /** Returns the places that a read covers, as far as the table's level makes a difference. */
  static List<Place> scope(ConflictLevel level, Get get) {
    if (level == ConflictLevel.ROW || get.getFamilyMap().isEmpty()) {
      return List.of();
    }
    List<Place> places = new ArrayList<>();
    for (Map.Entry<byte[], NavigableSet<byte[]>> family : get.getFamilyMap().entrySet()) {
      Bytes name = Bytes.of(family.getKey());
      if (family.getValue() == null || family.getValue().isEmpty()) {
        places.add(Place.family(name));
      } else {
        family
            .getValue()
            .forEach(
                column ->
                    places.add(
                        Place.column(name, column == null ? Bytes.EMPTY : Bytes.of(column))));
      }
    }
    return places;
  }

  private static FastCondition unchanged(byte[] row, RowVersion version) {
    if (!version.row().equals(Bytes.of(row))) {
      throw new BadRequestException(
          Code.BAD_REQUEST,
          "the version was read from another row, row=" + Bytes.of(row) + " read=" + version.row());
    }
    return new FastCondition.Unchanged(version.timestamp(), version.scope());
  }

  private static FastCondition compare(TransactionalTableView table, CheckAndMutate check) {
    if (check.hasFilter()) {
      throw new BadRequestException(
          Code.BAD_REQUEST,
          "the fast path compares a column, not with a filter: read for update and write on"
              + " condition, or use a regular transaction");
    }
    if (check.getTimeRange() != null && !check.getTimeRange().isAllTime()) {
      throw new BadRequestException(
          Code.BAD_REQUEST, "time ranges have no meaning here: leave them out");
    }
    Bytes family = Bytes.of(check.getFamily());
    table.checkFamily(family);
    Bytes qualifier = check.getQualifier() == null ? Bytes.EMPTY : Bytes.of(check.getQualifier());
    ReadRules.checkQualifier(qualifier);
    Bytes value = check.getValue() == null ? Bytes.EMPTY : Bytes.of(check.getValue());
    return new FastCondition.Compare(family, qualifier, operator(check.getCompareOp()), value);
  }

  private static FastCondition.Operator operator(CompareOperator operator) {
    return switch (operator) {
      case LESS -> FastCondition.Operator.LESS;
      case LESS_OR_EQUAL -> FastCondition.Operator.LESS_OR_EQUAL;
      case EQUAL -> FastCondition.Operator.EQUAL;
      case NOT_EQUAL -> FastCondition.Operator.NOT_EQUAL;
      case GREATER_OR_EQUAL -> FastCondition.Operator.GREATER_OR_EQUAL;
      case GREATER -> FastCondition.Operator.GREATER;
      case NO_OP ->
          throw new BadRequestException(
              Code.BAD_REQUEST, "a condition without an operator, operator=" + operator);
    };
  }

  /** Adds what an action does; gives whether its caller wants to see what it left. */
  private boolean addAll(
      TransactionalTableView table, Row action, List<FastOperation.Mutation> mutations) {
    if (action instanceof RowMutations several) {
      writes.check(several);
      boolean returnsCells = false;
      for (Mutation one : several.getMutations()) {
        returnsCells |= addAll(table, one, mutations);
      }
      return returnsCells;
    }
    if (action instanceof Increment || action instanceof Append) {
      Mutation mutation = (Mutation) action;
      addArithmetic(table, mutation, mutations);
      return RowArithmetic.returnsResult(mutation);
    }
    if (!(action instanceof Put || action instanceof Delete)) {
      throw new BadRequestException(
          Code.BAD_REQUEST,
          "the fast path cannot do this kind of action, class=" + action.getClass().getName());
    }
    Map<Bytes, List<Write>> byFamily = writes.translate(table, (Mutation) action).families();
    if (action instanceof Delete delete && delete.isEmpty()) {
      // The server knows which families there are at that moment.
      mutations.add(
          new FastOperation.Mutation(Kind.DELETE_ROW, Bytes.EMPTY, Bytes.EMPTY, Bytes.EMPTY));
      return false;
    }
    byFamily.forEach(
        (family, list) ->
            list.forEach(
                write ->
                    mutations.add(
                        new FastOperation.Mutation(
                            kind(write.kind()),
                            family,
                            write.qualifier(),
                            write.value(),
                            write.lifetimeMillis()))));
    return false;
  }

  private static Kind kind(IntentKind kind) {
    return switch (kind) {
      case PUT -> Kind.PUT;
      case DELETE_COLUMN -> Kind.DELETE_COLUMN;
      case DELETE_FAMILY -> Kind.DELETE_FAMILY;
    };
  }

  private void addArithmetic(
      TransactionalTableView table, Mutation mutation, List<FastOperation.Mutation> mutations) {
    writes.check(mutation);
    if (mutation.isEmpty()) {
      throw new BadRequestException(
          Code.BAD_REQUEST,
          "an increment or append without a column, row=" + Bytes.of(mutation.getRow()));
    }
    Kind kind = mutation instanceof Increment ? Kind.INCREMENT : Kind.APPEND;
    mutation
        .getFamilyCellMap()
        .forEach(
            (family, cells) -> {
              Bytes name = Bytes.of(family);
              table.checkFamily(name);
              for (Cell cell : cells) {
                // The same limits as a put's.
                Write checked =
                    writes.put(
                        Bytes.wrap(CellUtil.cloneQualifier(cell)),
                        Bytes.wrap(CellUtil.cloneValue(cell)),
                        name,
                        mutation);
                mutations.add(
                    new FastOperation.Mutation(
                        kind,
                        name,
                        checked.qualifier(),
                        checked.value(),
                        checked.lifetimeMillis()));
              }
            });
  }
}
