// A stranger who has a log's key: opens its notes, checks proofs, reads its tiles over HTTP, and is its witness. Uses Go's
// golang.org/x/mod/sumdb and filippo.io/torchwood, and none of spoor's code.
//
//	proofs cosign CHECKPOINT-FILE                       prints a witness's key, and the line that it signs
//	proofs check KEY WITNESS-KEY URL FOLDER COMMIT…     FOLDER has old.note, request, and COMMIT.tlog-proof of each
package main

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"filippo.io/torchwood"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func expect(is bool, what string) {
	if !is {
		log.Fatal(what)
	}
}

func witness() *torchwood.CosignatureSigner {
	return must(torchwood.NewCosignatureSigner("witness.example/w1", ed25519.NewKeyFromSeed(make([]byte, 32))))
}

func hashes(lines []string) (found []tlog.Hash) {
	for _, line := range lines {
		found = append(found, must(tlog.ParseHash(line)))
	}
	return
}

// Takes `KEY LENGTH LF bytes LF` off the front.
func framed(text []byte) (kind string, body, rest []byte) {
	line, rest, _ := bytes.Cut(text, []byte("\n"))
	kind, length, _ := strings.Cut(string(line), " ")
	size := must(strconv.Atoi(length))
	return kind, rest[:size], rest[size+1:]
}

func name(kind string, body []byte) string {
	sum := sha256.Sum256(append([]byte(fmt.Sprintf("spoor1 %s %d\x00", kind, len(body))), body...))
	return hex.EncodeToString(sum[:])
}

// Checks that the evidence leads to the commit, and returns the name of its operation.
func operationTo(evidence []byte, commit string) string {
	evidence = bytes.TrimPrefix(evidence, []byte("spoor proof 1\n"))
	kind, body, rest := framed(evidence)
	expect(kind == "operation", "no operation")
	operation, before := name("op", body), body
	at := ""
	for len(rest) > 0 {
		kind, body, rest = framed(rest)
		at = name(kind, body)
		expect(bytes.Contains(before, []byte(" "+at+"\n")), "an object is not named by the one before it")
		before = body
	}
	expect(at == commit, "the path ends elsewhere")
	return operation
}

func check(logKey, witnessKey, url, folder string, commits []string) {
	verifier := must(note.NewVerifier(logKey))
	expect(witness().Verifier().String() == witnessKey, "another witness's key")
	open := func(text string, keys ...note.Verifier) torchwood.Checkpoint {
		opened := must(note.Open([]byte(text), note.VerifierList(keys...)))
		expect(len(opened.Sigs) == len(keys), "a signature is missing")
		checkpoint := must(torchwood.ParseCheckpoint(opened.Text))
		expect(checkpoint.Origin == verifier.Name(), "another log's name")
		return checkpoint
	}
	read := func(file string) string { return string(must(os.ReadFile(filepath.Join(folder, file)))) }

	fetcher := must(torchwood.NewTileFetcher(url))
	ctx := context.Background()
	served := string(must(fetcher.ReadEndpoint(ctx, "checkpoint")))
	newest := open(served, verifier)
	old := open(read("old.note"), verifier)

	// The request to a witness: the new tree begins with the old one.
	proof, sent, _ := strings.Cut(read("request"), "\n\n")
	lines := strings.Split(proof, "\n")
	expect(lines[0] == fmt.Sprint("old ", old.N), "the request begins otherwise")
	expect(open(sent, verifier).Tree == newest.Tree, "the request has another checkpoint")
	if err := tlog.CheckTree(hashes(lines[1:]), newest.N, newest.Hash, old.N, old.Hash); err != nil {
		log.Fatal(err)
	}

	// The tiles, over HTTP: each entry, and a proof of each.
	client := must(torchwood.NewClient(fetcher))
	entries := map[string]int64{}
	for len(entries) < int(newest.N) {
		before := len(entries)
		for index, entry := range client.Entries(ctx, newest.Tree, int64(before)) {
			entries[hex.EncodeToString(entry)] = index
		}
		expect(client.Err() == nil && len(entries) > before, fmt.Sprint("the entries end at ", before, ": ", client.Err()))
	}
	reader := torchwood.TileHashReaderWithContext(ctx, newest.Tree, fetcher)
	expect(must(tlog.TreeHash(old.N, reader)) == old.Hash, "the tiles give another old tree")

	for _, commit := range commits {
		text := read(commit + ".tlog-proof")
		proof, checkpoint, _ := strings.Cut(text, "\n\n")
		lines := strings.Split(proof, "\n")
		expect(lines[0] == "c2sp.org/tlog-proof@v1", "another first line")
		extra := must(base64.StdEncoding.DecodeString(strings.TrimPrefix(lines[1], "extra ")))
		index := must(strconv.ParseInt(strings.TrimPrefix(lines[2], "index "), 10, 64))
		tree := open(checkpoint, verifier, witness().Verifier()).Tree
		operation := operationTo(extra, commit)
		entry := must(hex.DecodeString(operation))
		if err := tlog.CheckRecord(hashes(lines[3:]), tree.N, tree.Hash, index, tlog.RecordHash(entry)); err != nil {
			log.Fatal(err)
		}
		expect(entries[operation] == index, "the tiles have it elsewhere")
		own := must(tlog.ProveRecord(tree.N, index, reader))
		expect(fmt.Sprint(own) == fmt.Sprint(tlog.RecordProof(hashes(lines[3:]))), "the tiles give another proof")
	}
	fmt.Printf("%d entries from tiles, %d proofs, consistency from %d to %d\n", len(entries), len(commits), old.N, newest.N)
}

func main() {
	log.SetFlags(0)
	if os.Args[1] == "cosign" {
		checkpoint := string(must(os.ReadFile(os.Args[2])))
		text := checkpoint[:strings.Index(checkpoint, "\n\n")+1]
		signed := must(note.Sign(&note.Note{Text: text}, witness()))
		fmt.Printf("%s\n%s", witness().Verifier(), signed[len(text)+1:])
		return
	}
	check(os.Args[2], os.Args[3], os.Args[4], os.Args[5], os.Args[6:])
}
