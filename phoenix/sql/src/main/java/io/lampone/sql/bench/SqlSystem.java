package io.lampone.sql.bench;

/** Phoenix with a provider of transactions, or without one. */
enum SqlSystem {
  PLAIN("Phoenix without transactions", ""),
  /** The client writes the commit table, and the oracle gathers nothing. */
  OMID("Phoenix on Omid lowLatency", ", TRANSACTIONAL=true"),
  LAMPONE("Phoenix on Lampone", ", TRANSACTIONAL=true");

  private final String title;
  private final String tableProperties;

  SqlSystem(String title, String tableProperties) {
    this.title = title;
    this.tableProperties = tableProperties;
  }

  /** For messages. */
  String title() {
    return title;
  }

  /** Returns the end of a CREATE TABLE. */
  String tableProperties() {
    return tableProperties;
  }

  /** Returns the name of a table of its own. */
  String table(String name) {
    return name() + "_" + name;
  }
}
