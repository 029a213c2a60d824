package io.lampone.client.hbase.read;

import io.lampone.client.LamponeException.Code;
import io.lampone.client.hbase.BadRequestException;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.CausalTimestamp;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.request.FastReadRequest;
import io.lampone.protocol.request.LeaderReadRequest;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.request.RegionRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Consistency;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.IsolationLevel;
import org.apache.hadoop.hbase.client.OperationWithAttributes;
import org.apache.hadoop.hbase.client.Query;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.Scan;

/** Rules for unsupported options of Get and Scan inside a transaction. */
public final class ReadRules {

  /** Attributes that only this client sets. */
  static final List<String> RESERVED_ATTRIBUTES =
      List.of(
          ReadRequest.ATTRIBUTE,
          ReadRequest.REFUSE_ATTRIBUTE,
          FastReadRequest.ATTRIBUTE,
          CausalTimestamp.ATTRIBUTE,
          LeaderReadRequest.ATTRIBUTE,
          RegionRequest.ATTRIBUTE,
          TableSettings.MAINTENANCE_ATTRIBUTE,
          TableSettings.INSPECTION_ATTRIBUTE);

  private ReadRules() {}

  /**
   * Checks a Get.
   *
   * @throws BadRequestException if it has an option without a meaning here
   */
  public static void check(Get get) {
    checkQuery(get, get.getFamilyMap());
    if (!get.getTimeRange().isAllTime()) {
      throw timeRange();
    }
  }

  /** Returns true for a Get that can be read. */
  public static boolean isValidGet(Row action) {
    try {
      if (action instanceof Get get) {
        check(get);
        return true;
      }
      return false;
    } catch (BadRequestException e) {
      return false;
    }
  }

  /** Returns HBase's reply for these cells of the row: without cells for an existence check. */
  static Result answer(Get get, List<Cell> cells) {
    return get.isCheckExistenceOnly()
        ? Result.create((Cell[]) null, !cells.isEmpty(), false)
        : Result.create(cells);
  }

  /** Returns true if a reply shows a row. */
  public static boolean exists(Result result) {
    return result.getExists() != null ? result.getExists() : !result.isEmpty();
  }

  /**
   * Checks a Scan.
   *
   * @throws BadRequestException if it has an option without a meaning here
   */
  public static void check(Scan scan) {
    checkQuery(scan, scan.getFamilyMap());
    if (!scan.getTimeRange().isAllTime()) {
      throw timeRange();
    }
    if (scan.isRaw()) {
      throw new BadRequestException(
          Code.BAD_REQUEST, "a raw scan has no meaning in a transaction: scan without setRaw");
    }
    if (scan.isNeedCursorResult()) {
      throw new BadRequestException(
          Code.BAD_REQUEST,
          "cursor results are not supported in a transaction: scan without setNeedCursorResult");
    }
  }

  /** Returns a copy of a Scan. */
  public static Scan copy(Scan scan) {
    try {
      return new Scan(scan);
    } catch (IOException e) {
      throw new UncheckedIOException("scan cannot be copied", e);
    }
  }

  private static void checkQuery(Query query, Map<byte[], NavigableSet<byte[]>> families) {
    checkAttributes(query);
    if (query.getConsistency() == Consistency.TIMELINE) {
      throw new BadRequestException(
          Code.BAD_REQUEST,
          "a region replica cannot answer for a snapshot: read with Consistency.STRONG");
    }
    if (query.getIsolationLevel() == IsolationLevel.READ_UNCOMMITTED) {
      throw new BadRequestException(
          Code.BAD_REQUEST, "a transaction reads committed data only: leave the isolation level");
    }
    if (!query.getColumnFamilyTimeRange().isEmpty()) {
      throw timeRange();
    }
    families.forEach(
        (family, columns) -> {
          checkFamily(Bytes.of(family));
          if (columns != null) {
            columns.forEach(
                column -> checkQualifier(column == null ? Bytes.EMPTY : Bytes.of(column)));
          }
        });
  }

  public static void checkAttributes(OperationWithAttributes operation) {
    for (String attribute : RESERVED_ATTRIBUTES) {
      if (operation.getAttribute(attribute) != null) {
        throw new BadRequestException(
            Code.BAD_REQUEST, "this attribute is Lampone's own, attribute=" + attribute);
      }
    }
  }

  public static void checkFamily(Bytes family) {
    if (family.equals(Reserved.PROOF_FAMILY)) {
      throw new BadRequestException(
          Code.BAD_REQUEST, "this family name is Lampone's own, family=" + family);
    }
  }

  public static void checkQualifier(Bytes qualifier) {
    if (Reserved.isReserved(qualifier)) {
      throw new BadRequestException(
          Code.BAD_REQUEST,
          "qualifiers that begin with "
              + Reserved.PREFIX
              + " are Lampone's own: choose another, qualifier="
              + qualifier);
    }
  }

  private static BadRequestException timeRange() {
    return new BadRequestException(
        Code.BAD_REQUEST,
        "time ranges and timestamps have no meaning in a transaction, whose snapshot decides what"
            + " is seen: leave them out, or read the past by asOf");
  }
}
