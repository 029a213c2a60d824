package io.lampone.client.hbase;

import io.lampone.client.LamponeException.Code;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.RowMutations;

/** Condition of a CheckAndMutate, evaluated as by HBase's server. */
final class RowCondition {

  private RowCondition() {}

  /** Returns what is done if the condition holds. */
  static List<Mutation> mutations(CheckAndMutate check) {
    return check.getAction() instanceof RowMutations row
        ? row.getMutations()
        : List.of((Mutation) check.getAction());
  }

  /** Returns the Get that its evaluation needs. */
  static Get reads(CheckAndMutate check) {
    if (check.getTimeRange() != null && !check.getTimeRange().isAllTime()) {
      throw new BadRequestException(
          Code.BAD_REQUEST, "time ranges have no meaning in a transaction: leave them out");
    }
    Get get = new Get(check.getRow());
    if (check.hasFilter()) {
      get.setFilter(check.getFilter());
      if (check.getFamily() != null) {
        get.addColumn(check.getFamily(), check.getQualifier());
      }
    } else {
      get.addColumn(check.getFamily(), check.getQualifier());
    }
    return get;
  }

  /**
   * Returns true if it holds. Without a value, or with an empty one, EQUAL requires the absence of
   * the column or an empty value, NOT_EQUAL for the contrary. Otherwise the constant is the left
   * operand and the column's value the right one, and an absent column never matches.
   */
  static boolean holds(CheckAndMutate check, Result row) {
    if (check.hasFilter()) {
      return !row.isEmpty();
    }
    byte[] constant = check.getValue();
    CompareOperator operator = check.getCompareOp();
    if (constant == null || constant.length == 0) {
      boolean nothing = row.isEmpty() || row.rawCells()[0].getValueLength() == 0;
      return nothing == (operator != CompareOperator.NOT_EQUAL);
    }
    if (row.isEmpty()) {
      return false;
    }
    Cell cell = row.rawCells()[0];
    int order = Arrays.compareUnsigned(constant, CellUtil.cloneValue(cell));
    return switch (operator) {
      case LESS -> order < 0;
      case LESS_OR_EQUAL -> order <= 0;
      case EQUAL -> order == 0;
      case NOT_EQUAL -> order != 0;
      case GREATER_OR_EQUAL -> order >= 0;
      case GREATER -> order > 0;
      case NO_OP ->
          throw new BadRequestException(
              Code.BAD_REQUEST, "a condition without an operator, operator=" + operator);
    };
  }
}
