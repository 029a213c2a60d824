package io.lampone.protocol.tm;

/** All three ports of a transaction manager. */
public interface TransactionManager extends TimestampOracle, Validator, StatusSource {}
