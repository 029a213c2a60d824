package io.lampone.tmclient;

/**
 * Answer of a transaction manager to a command.
 *
 * @param succeeded whether it was carried out
 * @param text the answer, as JSON; if it failed, why and what to do, as plain text
 * @param epoch the epoch of the primary that answered; 0 of a backup
 */
public record CommandAnswer(boolean succeeded, String text, long epoch) {}
