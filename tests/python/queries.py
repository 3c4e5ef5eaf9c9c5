"""Asks a running daemon by a client generated from proto/; prints the answers as one JSON object.

Usage: queries.py SOCKET FILE, with the generated modules on PYTHONPATH.
"""

import json
import sys

import grpc

from simdex.v1 import admin_pb2, admin_pb2_grpc, similarity_pb2, similarity_pb2_grpc


def find(call, query, chunks=()):
    """The matches of one question, and its summary last."""
    requests = [similarity_pb2.FindRequest(query=query)]
    requests += [similarity_pb2.FindRequest(chunk=chunk) for chunk in chunks]
    replies = list(call(iter(requests), timeout=60))
    assert replies[-1].WhichOneof("part") == "summary", replies
    return [
        {
            "path": reply.match.path.decode(),
            "resemblance": reply.match.resemblance.value,
            "containment_of_query": reply.match.containment_of_query.value,
            "verified": reply.match.verified,
        }
        for reply in replies[:-1]
    ]


def health(channel):
    """The standard health service, without its package: an empty request, field 1 of the reply."""
    check = channel.unary_unary("/grpc.health.v1.Health/Check")
    return {b"\x08\x01": "SERVING"}.get(check(b"", timeout=60), "NOT_SERVING")


def main(socket, path):
    path_bytes = path.encode()
    # gRPC's own name for a Unix socket, its path in percent signs, is no authority to HTTP/2.
    options = [("grpc.default_authority", "localhost")]
    with grpc.insecure_channel(f"unix:{socket}", options=options) as channel:
        similarity = similarity_pb2_grpc.SimilarityStub(channel)
        admin_pb2_grpc.AdminStub(channel).Sync(admin_pb2.SyncRequest(), timeout=60)
        query = similarity_pb2.Query(path=path_bytes)
        upload = similarity_pb2.Query(upload=similarity_pb2.Upload(path=b"copy.txt"))
        with open(path, "rb") as file:
            content = file.read()
        try:
            find(similarity.FindSimilar, similarity_pb2.Query(path=path_bytes + b".not-there"))
            unknown_file = "OK"
        except grpc.RpcError as error:
            unknown_file = error.code().name
        print(json.dumps({
            "similar": find(similarity.FindSimilar, query),
            "similar_to_upload": find(similarity.FindSimilar, upload, [content[:100], content[100:]]),
            "containing": find(similarity.FindContaining, query),
            "versions": find(similarity.FindVersions, query),
            "health": health(channel),
            "unknown_file": unknown_file,
        }))


if __name__ == "__main__":
    main(*sys.argv[1:])
