package io.lampone.sql.bench;

/** Phoenix with a provider of transactions, or without one. */
enum SqlSystem {
  PLAIN("Phoenix without transactions", "", "OmidTransactionProvider"),
  /** The client writes the commit table, and the oracle gathers nothing. */
  OMID("Phoenix on Omid lowLatency", ", TRANSACTIONAL=true", "OmidTransactionProvider"),
  LAMPONE("Phoenix on Lampone", ", TRANSACTIONAL=true", "PhoenixProvider");

  private final String title;
  private final String tableProperties;
  private final String provider;

  SqlSystem(String title, String tableProperties, String provider) {
    this.title = title;
    this.tableProperties = tableProperties;
    this.provider = provider;
  }

  /** For messages. */
  String title() {
    return title;
  }

  /** Returns the end of a CREATE TABLE. */
  String tableProperties() {
    return tableProperties;
  }

  /** Returns the simple name of the class that provides transactions in a process of this one. */
  String provider() {
    return provider;
  }

  /** Returns the name of a table of its own. */
  String table(String name) {
    return name() + "_" + name;
  }
}
