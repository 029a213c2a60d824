package io.lampone.torture.work;

import io.lampone.history.History;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** What clients can be told to do. */
public enum WorkloadKind {
  /** Transfers; the sum of all accounts stays. */
  BANK("bank", false),
  /** Regular transactions on lists. */
  LIST_APPEND("list-append", true),
  /** Regular transactions on registers, blind writes among them. */
  REGISTER("register", false),
  /** Fast path, commits in one region and regular transactions on the same lists. */
  MIX("mix", true);

  private final String label;
  private final boolean lists;

  WorkloadKind(String label, boolean lists) {
    this.label = label;
    this.lists = lists;
  }

  /** As a person writes it. */
  public String label() {
    return label;
  }

  /** The table on which it works. */
  public String table() {
    return "torture-" + label;
  }

  /** The workload of its histories' header. */
  public String historyWorkload() {
    return lists ? History.Header.LIST_APPEND : History.Header.REGISTER;
  }

  /** What must be true of it besides. */
  public List<Check> checks() {
    return switch (this) {
      case BANK -> List.of(new BankCheck());
      case LIST_APPEND, MIX -> List.of(new ListCheck());
      case REGISTER -> List.of();
    };
  }

  /** The one of this label. */
  public static Optional<WorkloadKind> of(String label) {
    return Arrays.stream(values()).filter(kind -> kind.label.equals(label)).findFirst();
  }

  /** What all threads of one client share. */
  Workload create() {
    return switch (this) {
      case BANK -> new BankWorkload();
      case LIST_APPEND -> new ListAppendWorkload();
      case REGISTER -> new RegisterWorkload();
      case MIX -> new MixWorkload();
    };
  }
}
