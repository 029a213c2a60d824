package io.lampone.benchmarks.tpcc;

/**
 * Size of the database.
 *
 * @param warehouses 1 or more
 * @param customers of each district: 3,000 in the specification
 * @param items 100,000 in the specification
 */
public record Scale(int warehouses, int customers, int items) {

  /** Districts of a warehouse. */
  static final int DISTRICTS = 10;

  /** Least number of items: an order has up to 15 lines, of different items here. */
  private static final int LEAST_ITEMS = 15;

  public Scale {
    if (warehouses < 1 || customers < 1 || items < LEAST_ITEMS) {
      throw new IllegalArgumentException(
          "too small, warehouses="
              + warehouses
              + " customers="
              + customers
              + " items="
              + items
              + " leastItems="
              + LEAST_ITEMS);
    }
  }
}
