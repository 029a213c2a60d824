package io.lampone.tmclient;

/**
 * Answer of a transaction manager to a command.
 *
 * @param succeeded whether the command was executed
 * @param text the answer as JSON; after a failure, cause and remedy as plain text
 * @param epoch the epoch of the primary that answered; 0 of a backup
 */
public record CommandAnswer(boolean succeeded, String text, long epoch) {}
