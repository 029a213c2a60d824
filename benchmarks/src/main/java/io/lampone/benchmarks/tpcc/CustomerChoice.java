package io.lampone.benchmarks.tpcc;

import io.lampone.benchmarks.oltp.OltpRow;
import io.lampone.client.Transaction;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;

/**
 * Choice of a customer of a district: by number, or three times in five by last name (sections
 * 2.5.1.2 and 2.6.1.2).
 */
final class CustomerChoice {

  private static final int BY_NAME_PERCENT = 60;

  private final int warehouse;
  private final int district;
  private final int number;
  private final Optional<String> lastName;

  CustomerChoice(TpccRandom chance, int warehouse, int district) {
    this.warehouse = warehouse;
    this.district = district;
    this.number = chance.customer();
    this.lastName =
        chance.percent(BY_NAME_PERCENT) ? Optional.of(chance.lastNameOfRun()) : Optional.empty();
  }

  int warehouse() {
    return warehouse;
  }

  int district() {
    return district;
  }

  /** Returns the middle one of those with the name, sorted by first name and rounded up. */
  int find(Transaction transaction) throws IOException {
    if (lastName.isEmpty()) {
      return number;
    }
    List<Integer> found = new ArrayList<>();
    byte[] prefix = Tables.nameKey(warehouse, district, lastName.get());
    try (ResultScanner rows =
        transaction.table(Tables.CUSTOMER_BY_NAME).getScanner(OltpRow.scan(prefix))) {
      for (Result row : rows) {
        found.add((int) OltpRow.of(row).number("c_id"));
      }
    }
    if (found.isEmpty()) {
      throw new IOException("no customer has this name, lastName=" + lastName.get());
    }
    return found.get((found.size() + 1) / 2 - 1);
  }
}
