/** Execution of the client's machines: on futures, or on the thread of a waiting caller. */
@NullMarked
package io.lampone.client.driver;

import org.jspecify.annotations.NullMarked;
