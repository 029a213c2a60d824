package io.lampone.coprocessor.write;

import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.hbase.CellLifetimes;
import io.lampone.hbase.MutationRules;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.request.FastCondition;
import io.lampone.protocol.request.FastCondition.Compare;
import io.lampone.protocol.request.FastCondition.Operator;
import io.lampone.protocol.request.FastOperation;
import io.lampone.protocol.request.FastOperation.Kind;
import io.lampone.protocol.request.Refusal;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.RowMutations;

/**
 * Translates a plain HBase client's operations into operations of the fast path. Refuses options
 * with a different meaning there, above all explicit timestamps: Lampone assigns the versions.
 */
final class PlainMutations {

  private PlainMutations() {}

  /** Refuses what has no meaning on a transactional table; called before timestamps are set. */
  static void requireSupported(Mutation mutation) {
    String objection = MutationRules.objection(mutation);
    if (objection != null) {
      throw unsupported(objection);
    }
    requireNoneReserved(mutation);
  }

  /** Refuses a mutation of a reserved column. */
  static void requireNoneReserved(Mutation mutation) {
    for (List<Cell> cells : mutation.getFamilyCellMap().values()) {
      for (Cell cell : cells) {
        if (Reserved.isReserved(Bytes.wrap(CellUtil.cloneQualifier(cell)))) {
          throw unsupported("qualifier is reserved");
        }
      }
    }
  }

  /**
   * Refuses conditional mutations that HBase's client may send twice: HBase does not pass their
   * nonces on.
   */
  static void requireRepeatable(Mutation mutation) {
    if (mutation instanceof Increment || mutation instanceof Append) {
      throw unsupported(
          "an increment or append behind a condition could be applied twice, when HBase's client"
              + " sends it again: it needs the Lampone client");
    }
  }

  /** Returns the operation on {@code row} that is equivalent to {@code mutations} in sequence. */
  static FastOperation operation(
      Bytes row, FastCondition condition, List<? extends Mutation> mutations) {
    List<FastOperation.Mutation> all = new ArrayList<>();
    for (Mutation mutation : mutations) {
      translate(mutation, all);
    }
    return new FastOperation(row, OperationId.NONE, false, 0, condition, true, all);
  }

  /** Returns the mutations of a checkAndMutate. */
  static List<Mutation> mutations(CheckAndMutate operation) {
    return operation.getAction() instanceof RowMutations all
        ? all.getMutations()
        : List.of((Mutation) operation.getAction());
  }

  /** Returns the condition of a checkAndMutate. */
  static FastCondition condition(CheckAndMutate operation) {
    if (operation.hasFilter()) {
      throw unsupported("a condition that is a filter needs the Lampone client");
    }
    if (operation.getTimeRange() != null && !operation.getTimeRange().isAllTime()) {
      throw unsupported("time ranges have no meaning on a transactional table");
    }
    Operator operator =
        switch (operation.getCompareOp()) {
          case LESS -> Operator.LESS;
          case LESS_OR_EQUAL -> Operator.LESS_OR_EQUAL;
          case EQUAL -> Operator.EQUAL;
          case NOT_EQUAL -> Operator.NOT_EQUAL;
          case GREATER_OR_EQUAL -> Operator.GREATER_OR_EQUAL;
          case GREATER -> Operator.GREATER;
          case NO_OP -> throw unsupported("a comparison without an operator");
        };
    byte[] qualifier = operation.getQualifier();
    byte[] value = operation.getValue();
    return new Compare(
        Bytes.of(operation.getFamily()),
        qualifier == null ? Bytes.EMPTY : Bytes.of(qualifier),
        operator,
        value == null ? Bytes.EMPTY : Bytes.of(value));
  }

  private static void translate(Mutation mutation, List<FastOperation.Mutation> all) {
    if (mutation.isEmpty()) {
      if (!(mutation instanceof Delete)) {
        throw unsupported("a mutation without columns writes nothing: leave it out");
      }
      // HBase has not yet replaced it by family deletes.
      all.add(new FastOperation.Mutation(Kind.DELETE_ROW, Bytes.EMPTY, Bytes.EMPTY, Bytes.EMPTY));
      return;
    }
    long lifetime = CellLifetimes.millis(mutation);
    for (List<Cell> cells : mutation.getFamilyCellMap().values()) {
      for (Cell cell : cells) {
        Kind kind = kind(mutation, cell);
        boolean valued = kind == Kind.PUT || kind == Kind.APPEND || kind == Kind.INCREMENT;
        all.add(
            new FastOperation.Mutation(
                kind,
                Bytes.wrap(CellUtil.cloneFamily(cell)),
                kind == Kind.DELETE_FAMILY
                    ? Bytes.EMPTY
                    : Bytes.wrap(CellUtil.cloneQualifier(cell)),
                valued ? Bytes.wrap(CellUtil.cloneValue(cell)) : Bytes.EMPTY,
                valued ? lifetime : FamilyRetention.FOREVER));
      }
    }
  }

  private static Kind kind(Mutation mutation, Cell cell) {
    if (mutation instanceof Increment) {
      return Kind.INCREMENT;
    }
    if (mutation instanceof Append) {
      return Kind.APPEND;
    }
    return switch (cell.getType()) {
      case Put -> Kind.PUT;
      case Delete, DeleteColumn -> Kind.DELETE_COLUMN;
      case DeleteFamily -> Kind.DELETE_FAMILY;
      case DeleteFamilyVersion -> throw unsupported("one version of a family cannot be deleted");
    };
  }

  private static Refused unsupported(String why) {
    return Refused.because(Refusal.Code.UNSUPPORTED, why);
  }
}
