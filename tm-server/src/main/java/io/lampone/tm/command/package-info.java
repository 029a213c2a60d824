/** What people and tools tell a transaction manager beside the requests of transactions. */
@NullMarked
package io.lampone.tm.command;

import org.jspecify.annotations.NullMarked;
